package io.txwatch.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.product.registry.Products;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.SocketException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What is no fault of txwatch is not called one, and what wraps a driver's class may be wrapped.
 */
class FaultsAreOursTest {

  @Test
  void lostConnectionIsNoFault() {
    SQLException lost = new SQLException("cut", "08006", new SocketException("reset"));
    assertThat(Faults.isOfConnection(lost)).isTrue();
    assertThat(Faults.isOfConnection(new IllegalStateException(lost))).isTrue();
    assertThat(Faults.isOfConnection(new SQLException("no such column", "42703"))).isFalse();
    assertThat(Faults.isOfConnection(new IllegalStateException("ours"))).isFalse();
  }

  @Test
  void driverWhoseMetadataAnswersNullIsOfNoKnownDbms() throws SQLException {
    DatabaseMetaData silent =
        (DatabaseMetaData) stub(DatabaseMetaData.class, (proxy, method, arguments) -> null);
    for (DatabaseMetaData metaData : new DatabaseMetaData[] {silent, null}) {
      Connection connection =
          (Connection) stub(Connection.class, (proxy, method, arguments) -> metaData);
      assertThat(Products.probe(connection, "jdbc:stub:").dialect()).isEmpty();
    }
  }

  private static Object stub(Class<?> type, java.lang.reflect.InvocationHandler handler) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  @Test
  void noWrapperIsFinalForAMockingLibraryThatExtendsIt() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:txwatch:h2:mem:spied");
        PreparedStatement prepared = connection.prepareStatement("SELECT 1 WHERE 1 = ?")) {
      prepared.setInt(1, 1);
      try (ResultSet rows = prepared.executeQuery();
          ResultSet columns = connection.getMetaData().getColumns(null, null, "X", null);
          ResultSet tables = connection.getMetaData().getTables(null, null, "X", null)) {
        List<Object> wrappers =
            List.of(
                connection,
                prepared,
                connection.createStatement(),
                connection.prepareCall("{? = call abs(?)}"),
                connection.getMetaData(),
                rows,
                columns,
                tables);
        assertThat(wrappers)
            .allSatisfy(
                wrapper -> assertThat(wrapper.getClass().getName()).startsWith("io.txwatch."))
            .noneMatch(wrapper -> Modifier.isFinal(wrapper.getClass().getModifiers()));
      }
    }
  }
}
