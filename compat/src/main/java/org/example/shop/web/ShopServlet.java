package org.example.shop.web;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import org.example.shop.Schema;
import org.example.shop.Workload;
import org.example.shop.jdbc.JdbcShop;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** A web application, with its own copies of the pool and of the driver. */
public final class ShopServlet extends HttpServlet {

  /** Never closed, if the application is one that forgets it. */
  private static @Nullable Connection forgotten;

  private @Nullable HikariDataSource pool;

  @Override
  public void init() throws ServletException {
    String url = Objects.requireNonNull(getInitParameter("url"));
    try {
      for (String driver : new String[] {Schema.driverFor(url), Schema.realDriverOf(url)}) {
        if (!driver.isEmpty()) {
          Class.forName(driver);
        }
      }
      if (getInitParameter("forgets") != null) {
        forgotten = DriverManager.getConnection(url);
        forgotten.setAutoCommit(false);
      }
    } catch (ClassNotFoundException | SQLException e) {
      throw new ServletException(e);
    }
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(3);
    pool = new HikariDataSource(config);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    HikariDataSource source = Objects.requireNonNull(pool);
    try (JdbcShop shop = new JdbcShop(source, () -> {});
        Connection connection = source.getConnection()) {
      if (connection.isWrapperFor(PGConnection.class)) {
        PGConnection driver = connection.unwrap(PGConnection.class);
        response.getWriter().println("notifications " + driver.getNotifications().length);
      }
      long id = shop.add(request.getContextPath() + request.getQueryString(), 10);
      Workload.loseUpdate(shop, id);
      shop.remove("none of that name");
      response.getWriter().println(shop.products());
      if (forgotten != null) {
        response.getWriter().println("forgotten " + forgotten.isValid(1));
      }
    } catch (Exception e) {
      throw new ServletException(e);
    }
  }

  @Override
  public void destroy() {
    if (pool != null) {
      pool.close();
    }
  }
}
