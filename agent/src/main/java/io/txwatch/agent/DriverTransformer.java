package io.txwatch.agent;

import io.txwatch.jdbc.ConnectionWatcher;
import java.lang.instrument.ClassFileTransformer;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.sql.Connection;
import java.sql.Driver;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.jspecify.annotations.Nullable;

/**
 * Instruments {@code connect} of JDBC drivers, {@code getConnection} of their own data sources, and
 * the methods by which data sources serve transaction managers and pools: with {@link
 * VisibleAdvice} where their class loader sees this class, with {@link IsolatedAdvice} elsewhere.
 *
 * <p>It is called for every loaded class, so it rejects fast: a class whose bytes do not contain
 * the descriptor of such a method is skipped, and Byte Buddy is loaded only for the first
 * candidate. It never throws: a class that cannot be transformed is loaded unchanged.
 */
final class DriverTransformer implements ClassFileTransformer {

  private static final byte[] DESCRIPTOR =
      "(Ljava/lang/String;Ljava/util/Properties;)Ljava/sql/Connection;"
          .getBytes(StandardCharsets.US_ASCII);

  private static final byte[] XA = ")Ljavax/sql/XAConnection;".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] POOLED =
      ")Ljavax/sql/PooledConnection;".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] PLAIN = ")Ljava/sql/Connection;".getBytes(StandardCharsets.US_ASCII);

  /**
   * Its classes include the interfaces that {@link #advised} uses: it would load them while they
   * are being defined, and the JVM would then reject the definition as a duplicate.
   */
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

  private static final AtomicBoolean REPORTED = new AtomicBoolean();

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] classFile) {
    if (loader == null
        || loader == PLATFORM
        || name == null
        || name.startsWith("io/txwatch/")
        || !(contains(classFile, DESCRIPTOR)
            || contains(classFile, XA)
            || contains(classFile, POOLED)
            || (isDriverClass(name) && contains(classFile, PLAIN)))) {
      return null;
    }
    try {
      return hasCopyOfTxWatch(loader) ? null : advised(loader, name.replace('/', '.'), classFile);
    } catch (Throwable e) { // the class must load in any case
      report("connections of " + name + " are not watched: " + e);
      return null;
    }
  }

  private static byte @Nullable [] advised(ClassLoader loader, String name, byte[] classFile) {
    ClassFileLocator locator =
        new ClassFileLocator.Compound(
            ClassFileLocator.Simple.of(name, classFile),
            ClassFileLocator.ForClassLoader.of(loader),
            ClassFileLocator.ForClassLoader.ofPlatformLoader(),
            new EmptyInterfaces());
    TypeDescription type = TypePool.Default.WithLazyResolution.of(locator).describe(name).resolve();
    boolean source =
        type.isAssignableTo(XADataSource.class)
            || type.isAssignableTo(ConnectionPoolDataSource.class);
    boolean plain = ConnectionWatcher.isDriverClass(name) && type.isAssignableTo(DataSource.class);
    if (type.isInterface() || !(source || plain || type.isAssignableTo(Driver.class))) {
      return null;
    }
    Class<?> advice = advice(loader);
    if (advice == null) {
      report("connections of " + name + " are not watched: its class loader does not see txwatch");
      return null;
    }
    return new ByteBuddy()
        .with(new DeclaredMethods())
        .with(InstrumentedType.Factory.Default.FROZEN)
        .with(Implementation.Context.Disabled.Factory.INSTANCE)
        .ignore(ElementMatchers.none())
        .redefine(type, locator)
        .visit(
            Advice.to(advice)
                .on(
                    opens("connect", Connection.class, type.isAssignableTo(Driver.class))
                        .and(ElementMatchers.takesArguments(String.class, Properties.class))
                        .or(
                            opens("getConnection", Connection.class, plain)
                                .or(opens("getXAConnection", XAConnection.class, source))
                                .or(opens("getPooledConnection", PooledConnection.class, source))
                                .and(
                                    ElementMatchers.<MethodDescription>takesNoArguments()
                                        .or(
                                            ElementMatchers.takesArguments(
                                                String.class, String.class))))))
        .make()
        .getBytes();
  }

  /** Matches methods of that name and result, if the class is of the kind that has them. */
  private static ElementMatcher.Junction<MethodDescription> opens(
      String name, Class<?> what, boolean isOfKind) {
    return isOfKind
        ? ElementMatchers.<MethodDescription>named(name)
            .and(ElementMatchers.returns(ElementMatchers.named(what.getName())))
            .and(ElementMatchers.not(ElementMatchers.isStatic()))
            .and(ElementMatchers.not(ElementMatchers.isAbstract()))
        : ElementMatchers.none();
  }

  private static boolean isDriverClass(String internalName) {
    return ConnectionWatcher.isDriverClass(internalName.replace('/', '.'));
  }

  /** The advice for classes of a loader; null if none of them could call {@link DriverCalls}. */
  private static @Nullable Class<?> advice(ClassLoader loader) {
    if (find(loader) == DriverCalls.class) {
      return VisibleAdvice.class;
    }
    return find(ClassLoader.getSystemClassLoader()) == DriverCalls.class
        ? IsolatedAdvice.class
        : null;
  }

  /** True if a loader has txwatch of its own, a web application's for example. */
  private static boolean hasCopyOfTxWatch(ClassLoader loader) {
    Class<?> found = find(loader);
    return found != null && found != DriverCalls.class;
  }

  /** The class {@link DriverCalls} that a loader sees, which may be another copy of it. */
  private static @Nullable Class<?> find(ClassLoader loader) {
    try {
      return Class.forName(DriverCalls.class.getName(), false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  private static void report(String line) {
    if (REPORTED.compareAndSet(false, true)) {
      System.err.println("txwatch: " + line);
    }
  }

  static boolean contains(byte[] text, byte[] wanted) {
    byte first = wanted[0];
    outer:
    for (int i = 0; i <= text.length - wanted.length; i++) {
      if (text[i] != first) {
        continue;
      }
      for (int j = 1; j < wanted.length; j++) {
        if (text[i + j] != wanted[j]) {
          continue outer;
        }
      }
      return true;
    }
    return false;
  }

  /**
   * Stands for supertypes without a class file: other agents add interfaces to drivers that exist
   * in memory only.
   */
  private static final class EmptyInterfaces implements ClassFileLocator {
    @Override
    public Resolution locate(String name) {
      return new Resolution.Explicit(new ByteBuddy().makeInterface().name(name).make().getBytes());
    }

    @Override
    public void close() {}
  }

  /**
   * The methods that a class declares, bridges too: a driver that returns its own type of
   * connection (MariaDB's) is called through the synthetic method that its compiler has added.
   */
  private static final class DeclaredMethods extends MethodGraph.Compiler.AbstractBase {
    @Override
    public MethodGraph.Linked compile(TypeDefinition type, TypeDescription viewPoint) {
      LinkedHashMap<MethodDescription.SignatureToken, MethodGraph.Node> nodes =
          new LinkedHashMap<>();
      for (MethodDescription method :
          type.getDeclaredMethods()
              .filter(ElementMatchers.isVirtual().and(ElementMatchers.isVisibleTo(viewPoint)))) {
        nodes.put(method.asSignatureToken(), new MethodGraph.Node.Simple(method));
      }
      return new MethodGraph.Linked.Delegation(
          new MethodGraph.Simple(nodes), MethodGraph.Empty.INSTANCE, Map.of());
    }
  }
}
