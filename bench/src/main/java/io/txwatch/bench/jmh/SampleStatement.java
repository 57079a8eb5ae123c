package io.txwatch.bench.jmh;

import io.txwatch.plan.Catalog;
import java.util.List;
import java.util.Optional;

/** Statements as applications send them. */
public enum SampleStatement {
  /** A query for a row by its key. */
  KEY("SELECT field0 FROM usertable WHERE id = ?"),
  /** A join of two tables with aliases. */
  JOIN(
      "SELECT c.c_discount, c.c_last, c.c_credit, w.w_tax FROM customer c, warehouse w"
          + " WHERE w.w_id = ? AND c.c_w_id = w.w_id AND c.c_d_id = ? AND c.c_id = ?"),
  /** An update of one row. */
  UPDATE(
      "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
          + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?"),
  /** An insert of one row. */
  INSERT(
      "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,"
          + " ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
  /** A mapper's query for a page of an entity with its parents. */
  MAPPER(
      "select b1_0.id,b1_0.created,b1_0.note,g1_0.id,g1_0.email,g1_0.name,r1_0.id,r1_0.capacity,"
          + "r1_0.floor,b1_0.state,b1_0.version from booking b1_0 join guest g1_0 on"
          + " g1_0.id=b1_0.guest_id left join room r1_0 on r1_0.id=b1_0.room_id where"
          + " b1_0.state in (?,?,?) and lower(g1_0.name) like ? escape '' order by"
          + " b1_0.created desc offset ? rows fetch first ? rows only");

  final String sql;

  SampleStatement(String sql) {
    this.sql = sql;
  }

  /** A catalog in which every table is prepared. */
  static Catalog everythingPrepared() {
    return name ->
        Optional.of(
            new Catalog.Table(
                name.get(name.size() - 1),
                Catalog.Status.PREPARED,
                List.of("id", "name", "state", "version")));
  }
}
