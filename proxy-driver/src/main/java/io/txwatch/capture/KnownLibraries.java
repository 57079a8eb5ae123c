package io.txwatch.capture;

import java.util.List;
import java.util.Set;

/** Classes that are known by name not to belong to an application. */
final class KnownLibraries {

  /** Prefixes of classes that are never the application's, wherever they were loaded from. */
  private static final List<String> NEVER =
      List.of(
          // the platform
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          // txwatch's own packages between an application and its driver
          "io.txwatch.jdbc.",
          "io.txwatch.capture.",
          "io.txwatch.agent.",
          "io.txwatch.catalog.",
          "io.txwatch.interleave.run.",
          "io.txwatch.junit.",
          "io.txwatch.prepare.");

  /** Prefixes of libraries that call drivers, directly or indirectly. */
  private static final List<String> PREFIXES =
      List.of(
          "jakarta.",
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
          "com.mchange.",
          "io.agroal.",
          "oracle.ucp.",
          "com.alibaba.druid.",
          "org.vibur.",
          "com.atomikos.",
          "com.arjuna.",
          // servers, and what runs applications
          "org.apache.catalina.",
          "org.apache.coyote.",
          "org.apache.tomcat.",
          "org.eclipse.jetty.",
          "io.undertow.",
          "io.netty.",
          "io.vertx.",
          "reactor.",
          "org.glassfish.",
          "org.quartz.",
          "org.junit.",
          "org.apache.maven.",
          "org.gradle.",
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

  /** The folders of their classes, each with a trailing slash. */
  static final List<String> FOLDERS =
      PREFIXES.stream()
          .filter(prefix -> prefix.endsWith("."))
          .map(prefix -> prefix.replace('.', '/'))
          .toList();

  /** Prefixes of main classes that launch applications. */
  static final List<String> LAUNCHERS =
      List.of(
          "org.springframework.boot.loader.",
          "org.apache.catalina.",
          "org.apache.maven.",
          "org.codehaus.",
          "org.gradle.",
          "worker.org.gradle.",
          "org.junit.",
          "org.eclipse.",
          "org.jboss.modules.",
          "org.glassfish.",
          "io.quarkus.bootstrap.",
          "com.intellij.",
          "com.ibm.",
          "com.sun.",
          "jdk.",
          "sun.",
          "scala.",
          "groovy.",
          "kotlin.");

  /** Package prefixes shared by unrelated owners. */
  static final Set<String> SHARED =
      Set.of(
          "org.apache",
          "org.eclipse",
          "org.springframework",
          "com.github",
          "io.github",
          "com.gitlab",
          "com.google",
          "co.uk");

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

  private KnownLibraries() {}

  /** True if a class of that name is the platform's, our own, or generated at run time. */
  static boolean isNever(String className) {
    return beginsWithOne(className, NEVER) || GENERATED.stream().anyMatch(className::contains);
  }

  /** True if a class of that name is a known library's. */
  static boolean isKnown(String className) {
    return beginsWithOne(className, PREFIXES);
  }

  private static boolean beginsWithOne(String className, List<String> prefixes) {
    return prefixes.stream().anyMatch(className::startsWith);
  }
}
