package io.txwatch.sql.syntax;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Pieces of SQL in any order: most of what comes out of them is no statement. */
public final class SqlFragments {

  private SqlFragments() {}

  /** Texts of such pieces, and of a few characters of any kind. */
  public static Arbitrary<String> texts() {
    Arbitrary<String> pieces =
        Arbitraries.of(
            "select",
            " ",
            "\\n",
            "'",
            "\"",
            "`",
            "[",
            "]",
            "(",
            ")",
            "--",
            "-- ",
            "/*",
            "*/",
            "/*!",
            "#",
            "$$",
            "$a$",
            "?",
            "??",
            "?1",
            ":a",
            "::",
            "@a",
            "@@",
            "$1",
            "E'",
            "N'",
            "X'",
            "\\",
            ",",
            ".",
            ";",
            "1e5",
            "1.5",
            "t",
            "*",
            "from t",
            "where a = ",
            "insert into t values (",
            "update t set a = ",
            "delete from t",
            "returning",
            "é",
            "\uD83D\uDE00",
            "{",
            "}",
            "0x",
            "1e",
            "join",
            "with t as (",
            "union",
            "//");
    Arbitrary<String> any = Arbitraries.strings().all().ofMaxLength(3);
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(9, pieces), net.jqwik.api.Tuple.of(1, any))
        .list()
        .ofMaxSize(25)
        .map(list -> String.join("", list));
  }
}
