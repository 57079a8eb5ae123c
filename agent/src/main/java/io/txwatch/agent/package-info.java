/**
 * {@code -javaagent:txwatch.jar}: every connection that a JDBC driver opens is passed to {@link
 * io.txwatch.jdbc.Watch}, as for {@code jdbc:txwatch:}, so both observe the same.
 *
 * <p>Byte Buddy advice is put around the methods that open connections when their class is loaded:
 * {@code connect} of each class that implements {@link java.sql.Driver}, {@code getConnection} of
 * the drivers' own data sources (H2, SQLite and MariaDB open connections there without their
 * driver), and the methods of data sources for pooled and distributed connections. The advice is
 * two calls of {@link io.txwatch.agent.DriverCalls}.
 *
 * <p>It covers drivers in any class loader, however they are reached: DriverManager, a pool, a data
 * source of the vendor. Where the loader sees the class path (web applications, Spring Boot's
 * nested jars), the advice calls txwatch directly, elsewhere (OSGi bundles) by reflection. A pool's
 * own data sources are left alone: the driver's connections within them are watched. So is a driver
 * whose class loader has a copy of txwatch, which serves {@code jdbc:txwatch:} there.
 */
@NullMarked
package io.txwatch.agent;

import org.jspecify.annotations.NullMarked;
