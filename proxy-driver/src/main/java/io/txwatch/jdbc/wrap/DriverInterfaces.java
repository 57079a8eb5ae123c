package io.txwatch.jdbc.wrap;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Shows a watched connection with the interfaces of the driver's own, so that {@code (PGConnection)
 * connection} and {@code instanceof} are what they are raw. A method of {@link Connection} is the
 * watched connection's; any other is the driver's, counted as a bypass like {@code unwrap} unless
 * it only reads or sets something. A cast to a driver's class cannot be had.
 *
 * <p>Only connections are shown so, for they are called a few times a transaction: a call through a
 * proxy costs some ten nanoseconds.
 */
public final class DriverInterfaces {

  /** The names of methods that send no SQL of the application's, if they give a plain value. */
  private static final Pattern PLAIN_NAME =
      Pattern.compile("(?:get|is|has|set|add|escape|supports)\\p{Upper}.*");

  /** By a driver's class, the interfaces that its connections are shown with. */
  private static final ClassValue<Class<?>[]> INTERFACES =
      new ClassValue<>() {
        @Override
        protected Class<?>[] computeValue(Class<?> type) {
          return interfaces(type);
        }
      };

  private DriverInterfaces() {}

  /** The connection with its driver's interfaces; itself if there are none that it can have. */
  public static Connection show(WatchedConnection watched) {
    Class<?> driver = watched.context().real().getClass();
    try {
      Class<?>[] interfaces = INTERFACES.get(driver);
      if (interfaces.length == 0) {
        return watched;
      }
      Connection shown =
          (Connection)
              Proxy.newProxyInstance(driver.getClassLoader(), interfaces, new Handler(watched));
      watched.context().shownAs(shown);
      return shown;
    } catch (RuntimeException | LinkageError e) {
      watched.context().fault(e);
      return watched;
    }
  }

  /** The watched connection that is shown as an object; the object itself if it is another. */
  public static @Nullable Object behind(@Nullable Object object) {
    return object != null
            && Proxy.isProxyClass(object.getClass())
            && Proxy.getInvocationHandler(object) instanceof Handler handler
        ? handler.watched
        : object;
  }

  private static Class<?>[] interfaces(Class<?> driver) {
    ClassLoader loader = driver.getClassLoader();
    Set<Class<?>> all = new LinkedHashSet<>();
    for (Class<?> type = driver; type != null; type = type.getSuperclass()) {
      addInterfaces(type, all);
    }
    List<Class<?>> shown = new ArrayList<>();
    for (Class<?> type : all) {
      if (isDrivers(type, loader) && !redeclares(type)) {
        shown.add(type);
      }
    }
    if (loader == null || shown.isEmpty()) {
      return new Class<?>[0];
    }
    shown.add(0, Connection.class);
    return shown.toArray(Class<?>[]::new);
  }

  private static void addInterfaces(Class<?> type, Set<Class<?>> all) {
    for (Class<?> one : type.getInterfaces()) {
      if (all.add(one)) {
        addInterfaces(one, all);
      }
    }
  }

  /** True if it is the driver's, and can be seen and implemented where the driver is. */
  private static boolean isDrivers(Class<?> type, @Nullable ClassLoader loader) {
    return Modifier.isPublic(type.getModifiers())
        && !type.isSealed()
        && !type.getName().startsWith("java.")
        && !type.getName().startsWith("javax.")
        && type.getClassLoader() == loader
        && type.getModule().isExported(type.getPackageName())
        // What else its class implements is nothing that an application casts to.
        && type.getSimpleName().contains("Connection")
        && type.getMethods().length > 0;
  }

  /**
   * True if it has a method of Connection return a class of the driver's, which we have none of.
   */
  private static boolean redeclares(Class<?> type) {
    for (Method own : type.getMethods()) {
      try {
        Method jdbc = Connection.class.getMethod(own.getName(), own.getParameterTypes());
        if (!own.getReturnType().isAssignableFrom(jdbc.getReturnType())) {
          return true;
        }
      } catch (NoSuchMethodException e) {
        // the driver's alone
      }
    }
    return false;
  }

  private static final class Handler implements InvocationHandler {

    /**
     * The methods of the watched connection by those of a driver's interface. Attached to the
     * interface, so that it keeps no class loader of a driver alive.
     */
    private static final ClassValue<Map<Method, Object>> TARGETS =
        new ClassValue<>() {
          @Override
          protected Map<Method, Object> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
          }
        };

    private static final Object NONE = new Object();

    private final WatchedConnection watched;
    private final Set<Method> counted = new HashSet<>(0);

    Handler(WatchedConnection watched) {
      this.watched = watched;
    }

    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      try {
        Class<?> declaring = method.getDeclaringClass();
        if (declaring == Connection.class) {
          return method.invoke(watched, arguments);
        }
        if (declaring == Object.class && arguments != null) { // equals
          return watched.equals(behind(arguments[0]));
        }
        if (declaring.isInstance(watched)) {
          return method.invoke(watched, arguments);
        }
        Object target = TARGETS.get(declaring).computeIfAbsent(method, Handler::ofConnection);
        if (target instanceof Method ours) {
          return ours.invoke(watched, arguments);
        }
        bypass(method);
        return method.invoke(watched.context().real(), arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    /** A driver's interface may declare a method of Connection's once more. */
    private static Object ofConnection(Method method) {
      try {
        return Connection.class.getMethod(method.getName(), method.getParameterTypes());
      } catch (NoSuchMethodException e) {
        return NONE;
      }
    }

    private void bypass(Method method) {
      if (isPlain(method)) {
        return;
      }
      synchronized (counted) {
        if (!counted.add(method)) {
          watched.context().state().knownRows().forget();
          return;
        }
      }
      watched
          .context()
          .bypassed(method.getDeclaringClass().getSimpleName() + "." + method.getName());
    }

    private static boolean isPlain(Method method) {
      Class<?> type = method.getReturnType();
      Class<?> value = type.isArray() ? type.getComponentType() : type;
      boolean isValue =
          value.isPrimitive() || value.getName().startsWith("java.lang.") || value.isEnum();
      boolean listens = method.getName().equals("getNotifications");
      return listens || (isValue && PLAIN_NAME.matcher(method.getName()).matches());
    }
  }
}
