package io.txwatch.reduction;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.CaseReader;
import org.junit.jupiter.api.Test;

/** Cases that show the same fault, and cases that do not. */
class CaseShapeTest {

  private static final String CASE =
      """
      I: CREATE TABLE t0 (c0 INT PRIMARY KEY, c1 VARCHAR(10), CHECK (c0 > 1))
      I: INSERT INTO t0 (c0, c1) VALUES (1, 'a')
      T1: BEGIN
      T1: UPDATE t0 SET c1 = 'b' WHERE c0 = 1
      T2: SELECT c1 FROM t0 FOR UPDATE
      T1: COMMIT
      """;

  @Test
  void namesAreNumbered() throws Exception {
    assertThat(shape(CASE).statements())
        .containsExactly(
            "create table name1 ( name2 primary key , check ( name2 > ? ) )",
            "1: begin",
            "1: update name1 set name3 = ? where name2 = ?",
            "2: select name3 from name1 for update",
            "1: commit");
  }

  @Test
  void otherNamesTypesValuesAndRowsAreTheSameShape() throws Exception {
    String other =
        """
        I: CREATE TABLE account (id BIGINT primary key, name DECIMAL(8, 2), check (id > 7))
        I: INSERT INTO account (id, name) VALUES (5, DATE '2024-02-28'), (6, 1)
        T3: begin
        T3: update account set name = date '2024-02-28' where id = 5
        T1: select name from account for update
        T3: commit
        """;

    assertThat(shape(other)).isEqualTo(shape(CASE));
  }

  /** Neither the column nor the session has a part in the fault. */
  @Test
  void moreColumnsAndIdleSessionsAreTheSameShape() throws Exception {
    String other =
        CASE.replace("VARCHAR(10),", "VARCHAR(10), c2 INT, c3 DATE,")
            .replace("T1: COMMIT", "T3: BEGIN\nT1: COMMIT");

    assertThat(shape(other)).isNotEqualTo(shape(CASE.replace("T1: COMMIT\n", "")));
    assertThat(shape(other)).isEqualTo(shape(CASE));
  }

  @Test
  void anotherOrderColumnOrConstraintIsAnotherShape() throws Exception {
    String order =
        """
        I: CREATE TABLE t0 (c0 INT PRIMARY KEY, c1 VARCHAR(10), CHECK (c0 > 1))
        T1: BEGIN
        T2: SELECT c1 FROM t0 FOR UPDATE
        T1: UPDATE t0 SET c1 = 'b' WHERE c0 = 1
        T1: COMMIT
        """;

    assertThat(shape(order)).isNotEqualTo(shape(CASE));
    assertThat(shape(CASE.replace("SELECT c1", "SELECT c0"))).isNotEqualTo(shape(CASE));
    assertThat(shape(CASE.replace(" PRIMARY KEY", ""))).isNotEqualTo(shape(CASE));
  }

  private static CaseShape shape(String testCase) throws Exception {
    return CaseShape.of(CaseReader.parse("case", testCase), Dialect.MARIADB);
  }
}
