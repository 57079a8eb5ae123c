package io.txwatch.corpus.orm;

import io.txwatch.servers.ServerKind;
import jakarta.persistence.CascadeType;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.ConstraintViolationException;
import org.jspecify.annotations.Nullable;

/**
 * Hibernate: identity and sequences, versions, batches, collections, fetch joins, paging, locks,
 * bulk statements, upserts, its check of the schema.
 */
final class HibernateScenario implements LibraryScenario {

  /** An entity with a generated key and a version. */
  @Entity(name = "Client")
  static class Client {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @Nullable Integer id;

    @jakarta.persistence.Column(unique = true)
    @Nullable String name;

    int points;
    @Version int version;
    @ElementCollection Set<String> tags = new TreeSet<>();

    @OneToMany(mappedBy = "client", cascade = CascadeType.ALL, orphanRemoval = true)
    @OrderBy("id")
    List<Invoice> invoices = new ArrayList<>();

    @Override
    public String toString() {
      return id + " " + name + " " + points + " v" + version;
    }
  }

  /** An entity with a key from a sequence, where the DBMS has sequences. */
  @Entity(name = "Invoice")
  static class Invoice {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    @Nullable Integer id;

    @jakarta.persistence.Column(precision = 10, scale = 2)
    @Nullable BigDecimal total;

    @ManyToOne(fetch = FetchType.LAZY)
    @Nullable Client client;
  }

  /** An entity with an assigned key. */
  @Entity(name = "Rate")
  static class Rate {
    @Id @Nullable String code;
    int amount;
  }

  private static SessionFactory factory(DataSource database, String schema) {
    Configuration configuration = new Configuration();
    configuration.addAnnotatedClass(Client.class);
    configuration.addAnnotatedClass(Invoice.class);
    configuration.addAnnotatedClass(Rate.class);
    configuration.getProperties().put(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, database);
    configuration.setProperty(AvailableSettings.HBM2DDL_AUTO, schema);
    configuration.setProperty(AvailableSettings.STATEMENT_BATCH_SIZE, "5");
    configuration.setProperty(AvailableSettings.ORDER_INSERTS, "true");
    return configuration.buildSessionFactory();
  }

  @Override
  public void create(ServerKind kind, DataSource database) {
    factory(database, "create").close();
  }

  @Override
  public void use(ServerKind kind, DataSource database, Consumer<String> sees) {
    try (SessionFactory factory = factory(database, "validate")) {
      factory.inTransaction(session -> fill(session, sees));
      factory.inTransaction(session -> queries(session, sees));
      factory.inTransaction(session -> changes(session, sees));
      stale(factory, sees);
      duplicateName(factory, sees);
      factory.inTransaction(session -> bulk(session, sees));
      factory.inStatelessTransaction(
          session -> {
            Rate rate = new Rate();
            rate.code = "EUR";
            rate.amount = 5;
            session.upsert(rate);
            rate.amount = 6;
            session.upsert(rate);
            sees.accept("rate " + session.get(Rate.class, "EUR").amount);
          });
      factory.inTransaction(
          session ->
              session
                  .createQuery("from Client c order by c.id", Client.class)
                  .list()
                  .forEach(c -> sees.accept("at last " + c + " " + new TreeSet<>(c.tags))));
    }
  }

  private static void fill(Session session, Consumer<String> sees) {
    for (int i = 1; i <= 6; i++) {
      Client client = new Client();
      client.name = "client " + i;
      client.tags.add("t" + i % 2);
      client.tags.add("all");
      for (int k = 0; k < i % 3; k++) {
        Invoice invoice = new Invoice();
        invoice.total = new BigDecimal(i * 10 + k + ".50");
        invoice.client = client;
        client.invoices.add(invoice);
      }
      session.persist(client);
      sees.accept("persisted " + client.id);
    }
    Rate rate = new Rate();
    rate.code = "USD";
    session.persist(rate);
    session.flush();
  }

  private static void queries(Session session, Consumer<String> sees) {
    sees.accept("found " + session.find(Client.class, 2) + " " + session.find(Client.class, 99));
    session
        .createQuery(
            "select c from Client c left join fetch c.invoices order by c.id", Client.class)
        .list()
        .forEach(c -> sees.accept("fetched " + c + " " + c.invoices.size()));
    session
        .createQuery("from Client c where c.points = :p order by c.id", Client.class)
        .setParameter("p", 0)
        .setFirstResult(1)
        .setMaxResults(3)
        .list()
        .forEach(c -> sees.accept("paged " + c));
    session
        .createQuery(
            "select c.name, count(i), sum(i.total) from Client c left join c.invoices i"
                + " group by c.id, c.name having count(i) >= 0 order by c.id",
            Object[].class)
        .list()
        .forEach(row -> sees.accept("sums " + java.util.Arrays.toString(row)));
    sees.accept(
        "exists "
            + session
                .createQuery(
                    "select count(c) from Client c where exists"
                        + " (select 1 from Invoice i where i.client = c and i.total > 20)",
                    Long.class)
                .uniqueResult());
    sees.accept(
        "distinct "
            + session
                .createQuery("select distinct t from Client c join c.tags t order by t")
                .list());
    session
        .createNativeQuery("select * from Client order by id", Client.class)
        .list()
        .forEach(c -> sees.accept("native " + c));
    var criteria = session.getCriteriaBuilder().createQuery(Client.class);
    var root = criteria.from(Client.class);
    criteria
        .select(root)
        .where(session.getCriteriaBuilder().like(root.get("name"), "client _"))
        .orderBy(session.getCriteriaBuilder().desc(root.get("id")));
    session.createQuery(criteria).list().forEach(c -> sees.accept("criteria " + c));
  }

  private static void changes(Session session, Consumer<String> sees) {
    Client locked = session.find(Client.class, 1, LockModeType.PESSIMISTIC_WRITE);
    locked.points += 10;
    Client forced = session.find(Client.class, 2, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
    forced.name = "renamed";
    Client third = session.find(Client.class, 3);
    third.tags.remove("all");
    third.tags.add("new");
    Client fourth = session.find(Client.class, 4);
    fourth.invoices.remove(0);
    session.remove(session.find(Client.class, 6));
    session.flush();
    session.refresh(locked);
    sees.accept("changed " + locked + " / " + forced + " / " + third + " / " + fourth);
  }

  /** Two sessions update the same version of a row. */
  private static void stale(SessionFactory factory, Consumer<String> sees) {
    try (Session first = factory.openSession()) {
      first.beginTransaction();
      Client mine = first.find(Client.class, 1);
      first.getTransaction().commit();
      factory.inTransaction(other -> other.find(Client.class, 1).points = 100);
      first.beginTransaction();
      mine.points = 200;
      try {
        first.getTransaction().commit();
        sees.accept("lost");
      } catch (OptimisticLockException e) {
        sees.accept("stale " + e.getClass().getSimpleName());
      }
    }
  }

  private static void duplicateName(SessionFactory factory, Consumer<String> sees) {
    try {
      factory.inTransaction(
          session -> {
            Client duplicate = new Client();
            duplicate.name = "client 1";
            session.persist(duplicate);
            session.flush();
          });
    } catch (ConstraintViolationException e) {
      sees.accept("refused " + e.getSQLState());
    }
  }

  private static void bulk(Session session, Consumer<String> sees) {
    sees.accept(
        "bulk update "
            + session
                .createMutationQuery("update Client c set c.points = c.points + 1 where c.id > 2")
                .executeUpdate());
    sees.accept(
        "bulk versioned "
            + session
                .createMutationQuery("update versioned Client c set c.points = 0 where c.id = 3")
                .executeUpdate());
    sees.accept(
        "bulk delete "
            + session
                .createMutationQuery("delete from Invoice i where i.total < 25")
                .executeUpdate());
    sees.accept(
        "bulk insert "
            + session
                .createMutationQuery(
                    "insert into Rate (code, amount) select c.name, c.points from Client c where c.id < 3")
                .executeUpdate());
  }
}
