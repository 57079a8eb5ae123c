/**
 * Changes from Debezium's topics: envelopes in JSON or Avro of its connectors for MySQL, MariaDB
 * and PostgreSQL, decoded to the same values as the DBMS's own log, and joined with what processes
 * recorded. Envelopes in Protobuf are not decoded. It uses neither Kafka nor Debezium, and needs
 * Jackson's streaming parser, which the class path of an application need not have.
 */
@NullMarked
package io.txwatch.changes.debezium;

import org.jspecify.annotations.NullMarked;
