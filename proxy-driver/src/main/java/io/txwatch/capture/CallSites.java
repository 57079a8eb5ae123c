package io.txwatch.capture;

import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where in the application a statement was executed: the first frame that belongs to no driver, no
 * pool, no mapper and no framework between them and the application.
 *
 * <p>Each class is judged once, each place is named once: what remains is the walk over the frames
 * in between. The caches hang on the classes themselves, so nothing keeps an application's class
 * loader alive.
 */
public final class CallSites {

  /**
   * The size of the first lot of frames, of which the walk keeps two for itself: there is room for
   * three of our own, a pool's two and the application's. It costs by the frame, needed or not, and
   * twice if the first lot does not do.
   */
  private static final int FIRST_FRAMES = 8;

  private static final StackWalker WALKER =
      StackWalker.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE), FIRST_FRAMES);

  /** Frames looked at, at most. Behind that many the application is not found. */
  private static final int DEPTH = 256;

  private static final List<String> NOT_THE_APPLICATION =
      List.of(
          // the platform
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "jakarta.",
          // ourselves, as far as we stand between an application and its driver
          "io.txwatch.jdbc.",
          "io.txwatch.capture.",
          "io.txwatch.agent.",
          "io.txwatch.prepare.",
          // drivers
          "org.postgresql.",
          "com.mysql.",
          "org.mariadb.",
          "org.h2.",
          "org.sqlite.",
          "org.hsqldb.",
          "org.apache.derby.",
          "org.duckdb.",
          "oracle.jdbc.",
          "com.microsoft.sqlserver.",
          "software.amazon.jdbc.",
          // pools
          "com.zaxxer.hikari.",
          "org.apache.commons.dbcp",
          "org.apache.commons.pool",
          "org.apache.tomcat.jdbc.",
          "org.apache.tomcat.dbcp.",
          "com.mchange.",
          "io.agroal.",
          "oracle.ucp.",
          "com.alibaba.druid.",
          "org.vibur.",
          // mappers and what calls them
          "org.hibernate.",
          "org.eclipse.persistence.",
          "org.apache.openjpa.",
          "org.apache.ibatis.",
          "org.mybatis.",
          "com.baomidou.",
          "org.jooq.",
          "org.jdbi.",
          "com.querydsl.",
          "io.ebean.",
          "org.springframework.",
          "io.micronaut.",
          "io.quarkus.",
          "org.jboss.",
          "org.flywaydb.",
          "liquibase.",
          "org.apache.commons.dbutils.",
          "groovy.sql.",
          // proxies and generated classes
          "com.p6spy.",
          "net.ttddyy.",
          "net.sf.cglib.",
          "net.bytebuddy.",
          "javassist.",
          "brave.",
          "io.opentelemetry.",
          "io.micrometer.",
          "com.newrelic.",
          "datadog.",
          // languages
          "kotlin.",
          "kotlinx.",
          "scala.",
          "org.codehaus.groovy.",
          "org.apache.groovy.");

  private static final List<String> GENERATED =
      List.of(
          "$$EnhancerBy",
          "$$FastClassBy",
          "$$SpringCGLIB$$",
          "$ByteBuddy$",
          "$HibernateProxy$",
          "_$$_Weld",
          "$$Lambda",
          "_Subclass",
          "$Proxy");

  private static final ClassValue<Places> APPLICATION_PLACES =
      new ClassValue<>() {
        @Override
        protected Places computeValue(Class<?> type) {
          return new Places();
        }
      };

  private static final ClassValue<Boolean> IS_APPLICATION =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return isApplication(type.getName());
        }
      };

  /**
   * A place in a class, with its name for people.
   *
   * @param descriptor of the method; null if no other method of the class has its name: to ask a
   *     frame for it costs as much as the rest
   */
  private record Place(String method, @Nullable String descriptor, int byteCodeIndex, String name) {

    boolean is(String ofMethod, int atIndex, StackFrame frame) {
      return byteCodeIndex == atIndex
          && method.equals(ofMethod)
          && (descriptor == null || descriptor.equals(frame.getDescriptor()));
    }
  }

  /** The places of a class from which statements were executed: a few. */
  private static final class Places {

    private volatile Place[] known = {};

    String name(StackFrame frame) {
      String method = frame.getMethodName();
      int index = frame.getByteCodeIndex();
      for (Place place : known) {
        if (place.is(method, index, frame)) {
          return place.name();
        }
      }
      return learn(frame, method, index);
    }

    private synchronized String learn(StackFrame frame, String method, int index) {
      String descriptor =
          isOverloaded(frame.getDeclaringClass(), method) ? frame.getDescriptor() : null;
      Place place = new Place(method, descriptor, index, describe(frame));
      Place[] more = Arrays.copyOf(known, known.length + 1);
      more[known.length] = place;
      known = more;
      return place.name();
    }

    private static boolean isOverloaded(Class<?> type, String method) {
      try {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(declared -> declared.getName().equals(method))
                .count()
            != 1;
      } catch (LinkageError | RuntimeException e) {
        return true; // it names classes that are not there
      }
    }
  }

  private CallSites() {}

  /** {@code File.java:line} of the caller; empty if the application is not on the stack. */
  public static String current() {
    try {
      return WALKER.walk(CallSites::firstOfApplication);
    } catch (RuntimeException | LinkageError e) {
      return ""; // a class of the application that cannot be asked is no reason to fail
    }
  }

  private static String firstOfApplication(Stream<StackFrame> frames) {
    Iterator<StackFrame> walk = frames.iterator();
    for (int i = 0; i < DEPTH && walk.hasNext(); i++) {
      StackFrame frame = walk.next();
      Class<?> type = frame.getDeclaringClass();
      if (IS_APPLICATION.get(type)) {
        return APPLICATION_PLACES.get(type).name(frame);
      }
    }
    return "";
  }

  private static String describe(StackFrame frame) {
    String file = frame.getFileName();
    if (file == null) {
      String type = frame.getClassName();
      file = type.substring(type.lastIndexOf('.') + 1);
    }
    return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
  }

  /** True if a class of that name is the application's own. */
  static boolean isApplication(String className) {
    for (String prefix : NOT_THE_APPLICATION) {
      if (className.startsWith(prefix)) {
        return false;
      }
    }
    for (String mark : GENERATED) {
      if (className.contains(mark)) {
        return false;
      }
    }
    return true;
  }
}
