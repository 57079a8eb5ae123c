package org.example.orders;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executors;

/**
 * A service with a pool of threads, which takes orders for an item whose stock is in a database.
 */
public final class OrderService {

  private static String url = "";

  private OrderService() {}

  /** The URL of the database is the argument; prints the port. */
  public static void main(String[] args) throws IOException, SQLException {
    url = args[0];
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE stock (item INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO stock VALUES (1, 5), (2, 5)");
    }
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/orders", exchange -> answer(exchange, ""));
    server.createContext("/locked-orders", exchange -> answer(exchange, " FOR UPDATE"));
    server.createContext("/stock", exchange -> send(exchange, 200, refill(exchange)));
    server.createContext("/time", exchange -> send(exchange, 200, "now"));
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  private static void answer(HttpExchange exchange, String lock) throws IOException {
    String body =
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)
            .replaceAll("[^0-9]", "");
    try {
      send(exchange, 201, "{\"left\":" + order(Integer.parseInt(body), lock) + "}");
    } catch (SQLException e) {
      send(exchange, 500, e.toString());
    }
  }

  private static int order(int item, String lock) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      int n;
      try (ResultSet row =
          statement.executeQuery("SELECT n FROM stock WHERE item = " + item + lock)) {
        row.next();
        n = row.getInt(1) - 1;
      }
      statement.executeUpdate("UPDATE stock SET n = " + n + " WHERE item = " + item);
      connection.commit();
      return n;
    }
  }

  private static String refill(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      return "" + statement.executeUpdate("UPDATE stock SET n = 5");
    } catch (SQLException e) {
      return e.toString();
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
