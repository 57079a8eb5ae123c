package io.txwatch.corpus.orm;

import io.txwatch.servers.ServerKind;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;

/** jdbi: handles, named parameters, batches, lists, keys, transactions. */
final class JdbiScenario implements LibraryScenario {

  @Override
  public void create(ServerKind kind, DataSource database) throws Exception {
    LibraryScenario.shop(kind, database);
  }

  @Override
  public void use(ServerKind kind, DataSource database, Consumer<String> sees) {
    Jdbi jdbi = Jdbi.create(database);
    jdbi.useTransaction(handle -> fill(handle, sees));
    jdbi.useHandle(handle -> queries(handle, sees));
    try {
      jdbi.useTransaction(
          handle -> {
            handle.execute("UPDATE customer SET points = points + 1");
            handle.execute("INSERT INTO customer (name, email) VALUES (?, ?)", "twin", "c1@x.org");
          });
    } catch (RuntimeException e) {
      sees.accept("refused " + e.getClass().getSimpleName());
    }
    jdbi.useTransaction(
        handle -> {
          handle.savepoint("s");
          sees.accept("deleted " + handle.execute("DELETE FROM purchase WHERE total > ?", 15));
          handle.rollbackToSavepoint("s");
          sees.accept("updated " + handle.execute("UPDATE purchase SET note = NULL"));
        });
    jdbi.useHandle(
        handle ->
            handle
                .createQuery("SELECT * FROM purchase ORDER BY id")
                .mapToMap()
                .forEach(row -> sees.accept("purchase " + row)));
  }

  private static void fill(Handle handle, Consumer<String> sees) {
    for (int i = 1; i <= 5; i++) {
      int id =
          handle
              .createUpdate("INSERT INTO customer (name, email) VALUES (:name, :email)")
              .bind("name", "customer " + i)
              .bind("email", "c" + i + "@x.org")
              .executeAndReturnGeneratedKeys("id")
              .mapTo(int.class)
              .one();
      sees.accept("id " + id);
    }
    PreparedBatch batch =
        handle.prepareBatch("INSERT INTO purchase (customer_id, total, note) VALUES (?, ?, ?)");
    for (int i = 0; i < 12; i++) {
      batch.add(1 + i % 4, i * 3, i % 2 == 0 ? "even" : "odd");
    }
    sees.accept("batch " + Arrays.toString(batch.execute()));
  }

  private static void queries(Handle handle, Consumer<String> sees) {
    handle
        .createQuery("SELECT id, name, points FROM customer WHERE id IN (<ids>) ORDER BY id")
        .bindList("ids", List.of(1, 3, 5))
        .mapToMap()
        .forEach(row -> sees.accept("customer " + row));
    handle
        .createQuery(
            "SELECT c.name, COUNT(p.id) AS n, SUM(p.total) AS s FROM customer c"
                + " LEFT JOIN purchase p ON p.customer_id = c.id GROUP BY c.id, c.name ORDER BY c.id")
        .mapToMap()
        .forEach(row -> sees.accept("total " + row));
    sees.accept(
        "count " + handle.createQuery("SELECT COUNT(*) FROM purchase").mapTo(int.class).one());
    sees.accept(
        "names "
            + handle
                .createQuery("SELECT DISTINCT note FROM purchase ORDER BY note")
                .mapTo(String.class)
                .list());
    sees.accept(
        "none "
            + handle
                .createQuery("SELECT name FROM customer WHERE id = :id")
                .bind("id", 99)
                .mapTo(String.class)
                .findFirst());
    sees.accept(
        "columns " + handle.createQuery("SELECT * FROM customer ORDER BY id").mapToMap().list());
  }
}
