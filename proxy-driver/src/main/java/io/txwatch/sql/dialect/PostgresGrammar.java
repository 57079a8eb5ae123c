package io.txwatch.sql.dialect;

final class PostgresGrammar extends Grammar {}
