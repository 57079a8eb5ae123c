/**
 * {@code -javaagent:txwatch.jar}: every connection that a JDBC driver opens is passed to {@link
 * io.txwatch.jdbc.Watch}, as for {@code jdbc:txwatch:}, so both observe the same.
 *
 * <p>Byte Buddy advice is put around {@code connect} of each class that implements {@link
 * java.sql.Driver}, when it is loaded. The advice is two calls of {@link
 * io.txwatch.agent.DriverCalls}.
 *
 * <p>What the plain case covers: drivers on the class path, and drivers in class loaders whose
 * parents lead to it (web applications, Spring Boot's nested jars), however they are reached:
 * DriverManager, a pool, a vendor's data source that goes through its driver (PostgreSQL, MySQL),
 * and a driver's own data source for pooled or distributed connections ({@code XADataSource}). A
 * pool's own data sources are left alone: the driver's connections within them are watched. A
 * driver in a class loader that cannot see the class path is left alone, and so is a vendor's plain
 * data source that makes its connections without its driver (H2, SQLite, MariaDB).
 */
@NullMarked
package io.txwatch.agent;

import org.jspecify.annotations.NullMarked;
