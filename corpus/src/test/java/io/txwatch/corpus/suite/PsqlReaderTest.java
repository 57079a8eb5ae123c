package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.suite.PsqlReader.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PsqlReaderTest {

  private static List<String> pieces(PsqlReader reader) {
    List<String> pieces = new ArrayList<>();
    for (Optional<Piece> next = reader.next(); next.isPresent(); next = reader.next()) {
      pieces.add((next.get().command() + " " + next.get().text()).strip());
    }
    return pieces;
  }

  private static List<String> pieces(String script) {
    return pieces(new PsqlReader(script));
  }

  @Test
  void semicolonsThatDoNotEndAStatement() {
    assertThat(
            pieces(
                """
                -- none; here
                SELECT ';', E'\\';', "a;b", $$;$$, $q$;$$;$q$ /* ; /* ; */ ; */;
                CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);
                CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a THEN 1 END; END;
                BEGIN; END;
                SELECT 1\\; SELECT 2;
                SELECT 3"""))
        .containsExactly(
            "SELECT ';', E'\\';', \"a;b\", $$;$$, $q$;$$;$q$ /* ; /* ; */ ; */",
            "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)",
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a THEN 1 END;"
                + " END",
            "BEGIN",
            "END",
            "SELECT 1; SELECT 2",
            "SELECT 3");
  }

  @Test
  void backslashesAreEscapesWhereTheSessionSaysSo() {
    assertThat(
            pieces(
                """
                SELECT '\\';
                SET standard_conforming_strings = off;
                SELECT '\\';';
                """))
        .containsExactly("SELECT '\\'", "SET standard_conforming_strings = off", "SELECT '\\';'");
  }

  @Test
  void variables() {
    PsqlReader reader =
        new PsqlReader("SELECT :a, :'a', :\"a\", :b, ':a', x::a, y[1:2], :{?a}, :{?b};");
    reader.variables().put("a", "it's");
    assertThat(pieces(reader))
        .containsExactly("SELECT it's, 'it''s', \"it's\", :b, ':a', x::a, y[1:2], TRUE, FALSE");
  }

  @Test
  void metaCommandsAndData() {
    PsqlReader reader =
        new PsqlReader("\\d t\nSELECT 1 \\gset p_\nCOPY t FROM stdin;\n1\t;\n\\.\nSELECT 2;");
    assertThat(reader.next()).map(Piece::command).contains("\\d");
    Piece gset = reader.next().orElseThrow();
    assertThat(gset).isEqualTo(new Piece(14, 2, "p_", "\\gset"));
    assertThat(reader.pending()).map(Piece::text).contains("SELECT 1");
    assertThat(reader.next()).map(Piece::text).contains("COPY t FROM stdin");
    assertThat(reader.copyData()).isEqualTo("1\t;\n");
    assertThat(reader.next()).contains(new Piece(49, 6, "SELECT 2", ""));
    assertThat(reader.next()).isEmpty();
  }
}
