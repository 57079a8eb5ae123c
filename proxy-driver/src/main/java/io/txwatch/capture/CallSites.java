package io.txwatch.capture;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Where in the application a statement was executed: the first frame that belongs to no driver, no
 * pool, no mapper and no framework between them and the application.
 *
 * <p>Each class is judged once, each place is named once: what remains is the walk over the frames
 * in between. The caches hang on the classes themselves, so nothing keeps an application's class
 * loader alive.
 */
public final class CallSites {

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

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

  private static final ClassValue<Map<Place, String>> APPLICATION_SITES =
      new ClassValue<>() {
        @Override
        protected Map<Place, String> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private static final ClassValue<Boolean> IS_APPLICATION =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return isApplication(type.getName());
        }
      };

  private record Place(String method, String descriptor, int byteCodeIndex) {}

  private CallSites() {}

  /** {@code File.java:line} of the caller; empty if the application is not on the stack. */
  public static String current() {
    return WALKER.walk(CallSites::firstOfApplication).map(CallSites::name).orElse("");
  }

  private static Optional<StackFrame> firstOfApplication(Stream<StackFrame> frames) {
    return frames
        .limit(DEPTH)
        .filter(frame -> IS_APPLICATION.get(frame.getDeclaringClass()))
        .findFirst();
  }

  private static String name(StackFrame frame) {
    Map<Place, String> sites = APPLICATION_SITES.get(frame.getDeclaringClass());
    Place place = new Place(frame.getMethodName(), frame.getDescriptor(), frame.getByteCodeIndex());
    String known = sites.get(place);
    if (known == null) {
      known = describe(frame);
      sites.put(place, known);
    }
    return known;
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
