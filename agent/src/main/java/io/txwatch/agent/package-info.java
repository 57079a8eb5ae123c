/**
 * {@code -javaagent:txwatch.jar}: every connection that a JDBC driver opens is handed to {@link
 * io.txwatch.jdbc.Watch}, the same way in that {@code jdbc:txwatch:} takes, so both see the same.
 *
 * <p>Byte Buddy advice is put around {@code connect} of each class that implements {@link
 * java.sql.Driver}, when it is loaded. The advice is two calls; what is to be done stands in {@link
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
