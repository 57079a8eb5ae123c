package io.txwatch.corpus.orm;

import io.txwatch.servers.ServerKind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.RowBounds;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.jspecify.annotations.Nullable;

/** MyBatis: mappers, dynamic SQL, generated keys, batches, row bounds. */
final class MyBatisScenario implements LibraryScenario {

  /** A row of {@code customer}. */
  public static final class Customer {
    private @Nullable Integer id;
    private String name = "";
    private @Nullable String email;

    public @Nullable Integer getId() {
      return id;
    }

    public void setId(Integer id) {
      this.id = id;
    }

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    public @Nullable String getEmail() {
      return email;
    }

    public void setEmail(String email) {
      this.email = email;
    }

    @Override
    public String toString() {
      return id + " " + name + " " + email;
    }
  }

  /** The application's statements. */
  public interface Mapper {
    @Insert("INSERT INTO customer (name, email) VALUES (#{name}, #{email})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int insert(Customer customer);

    @Insert(
        "<script>INSERT INTO purchase (customer_id, total, note) VALUES"
            + " <foreach collection='notes' item='n' separator=','>(#{customer}, 3.5, #{n})</foreach>"
            + "</script>")
    int buy(@Param("customer") int customer, @Param("notes") List<String> notes);

    @Select("SELECT * FROM customer WHERE id = #{id}")
    @Nullable Customer find(int id);

    @Select("SELECT * FROM customer ORDER BY id")
    List<Customer> all();

    @Select("SELECT * FROM customer ORDER BY id")
    List<Customer> some(RowBounds bounds);

    @Select(
        "<script>SELECT * FROM customer <where><if test='name != null'>name = #{name}</if>"
            + " <if test='email != null'>AND email LIKE #{email}</if></where> ORDER BY id</script>")
    List<Customer> search(
        @Param("name") @Nullable String name, @Param("email") @Nullable String email);

    @Select(
        "SELECT c.name AS who, COUNT(p.id) AS many, MAX(p.note) AS last_note FROM customer c"
            + " LEFT JOIN purchase p ON p.customer_id = c.id GROUP BY c.id, c.name ORDER BY c.id")
    List<Map<String, Object>> totals();

    @Select("SELECT * FROM purchase WHERE customer_id = #{id} ORDER BY id")
    List<Map<String, Object>> purchases(int id);

    @Select("SELECT COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM purchase)")
    int buyers();

    @Select("SELECT points FROM customer WHERE id = #{id} FOR UPDATE")
    int lockedPoints(int id);

    @Update(
        "<script>UPDATE customer <set><if test='name != null'>name = #{name},</if>"
            + " points = points + 1</set> WHERE id = #{id}</script>")
    int touch(@Param("id") int id, @Param("name") @Nullable String name);

    @Delete(
        "<script>DELETE FROM purchase WHERE id IN"
            + " <foreach collection='ids' item='i' open='(' separator=',' close=')'>#{i}</foreach></script>")
    int drop(@Param("ids") List<Integer> ids);
  }

  @Override
  public void create(ServerKind kind, DataSource database) throws Exception {
    LibraryScenario.shop(kind, database);
  }

  @Override
  public void use(ServerKind kind, DataSource database, Consumer<String> sees) {
    Configuration configuration =
        new Configuration(new Environment("test", new JdbcTransactionFactory(), database));
    configuration.addMapper(Mapper.class);
    SqlSessionFactory factory = new SqlSessionFactoryBuilder().build(configuration);
    try (SqlSession session = factory.openSession()) {
      Mapper mapper = session.getMapper(Mapper.class);
      for (int i = 1; i <= 5; i++) {
        sees.accept("inserted " + mapper.insert(customer(i)));
      }
      sees.accept("bought " + mapper.buy(1, List.of("a", "b", "c")));
      sees.accept("bought " + mapper.buy(3, List.of("d")));
      session.commit();
    }
    try (SqlSession session = factory.openSession()) {
      Mapper mapper = session.getMapper(Mapper.class);
      sees.accept("found " + mapper.find(2));
      sees.accept("found " + mapper.find(99));
      mapper.all().forEach(c -> sees.accept("all " + c));
      mapper.some(new RowBounds(1, 2)).forEach(c -> sees.accept("some " + c));
      mapper.search(null, "c1%").forEach(c -> sees.accept("search " + c));
      mapper.search("customer 2", null).forEach(c -> sees.accept("search " + c));
      mapper.totals().forEach(row -> sees.accept("total " + new TreeMap<>(row)));
      mapper.purchases(1).forEach(row -> sees.accept("purchase " + new TreeMap<>(row)));
      sees.accept("buyers " + mapper.buyers());
      sees.accept("points " + mapper.lockedPoints(1));
      sees.accept("affectedRows " + mapper.touch(1, "renamed"));
      sees.accept("affectedRows " + mapper.touch(2, null));
      sees.accept("affectedRows " + mapper.touch(99, null));
      sees.accept("dropped " + mapper.drop(List.of(1, 2, 77)));
      session.commit();
    }
    try (SqlSession session = factory.openSession(ExecutorType.BATCH)) {
      Mapper mapper = session.getMapper(Mapper.class);
      Customer six = customer(6);
      Customer seven = customer(7);
      mapper.insert(six);
      mapper.insert(seven);
      session.flushStatements();
      sees.accept("keys " + six.getId() + " " + seven.getId());
      session.rollback();
    }
    try (SqlSession session = factory.openSession()) {
      Mapper mapper = session.getMapper(Mapper.class);
      try {
        mapper.insert(customer(1));
      } catch (PersistenceException e) {
        sees.accept(
            "refused "
                + (e.getCause() instanceof java.sql.SQLException sql ? sql.getSQLState() : ""));
      }
      session.rollback();
      mapper.all().forEach(c -> sees.accept("all " + c));
    }
  }

  private static Customer customer(int i) {
    Customer customer = new Customer();
    customer.setName("customer " + i);
    customer.setEmail("c" + i + "@x.org");
    return customer;
  }
}
