package io.txwatch.sql.dialect;

final class MariaDbGrammar extends MySqlGrammar {}
