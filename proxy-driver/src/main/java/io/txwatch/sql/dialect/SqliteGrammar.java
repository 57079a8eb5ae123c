package io.txwatch.sql.dialect;

final class SqliteGrammar extends Grammar {}
