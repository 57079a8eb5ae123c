package io.txwatch.sql.dialect;

final class H2Grammar extends Grammar {}
