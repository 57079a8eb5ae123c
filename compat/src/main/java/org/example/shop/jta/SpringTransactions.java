package org.example.shop.jta;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.concurrent.Callable;
import org.example.shop.jdbc.PooledShop;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Two transactions of Spring, one within the other, without two phases. */
final class SpringTransactions implements Transactions {

  private final HikariDataSource one;
  private final HikariDataSource two;
  private final TransactionTemplate inOne;
  private final TransactionTemplate inTwo;

  SpringTransactions(String urlOfOne, String urlOfTwo) {
    one = PooledShop.hikari(urlOfOne);
    two = PooledShop.hikari(urlOfTwo);
    inOne = new TransactionTemplate(new JdbcTransactionManager(one));
    inTwo = new TransactionTemplate(new JdbcTransactionManager(two));
  }

  @Override
  public void run(Work work) throws Exception {
    execute(
        inOne,
        () -> {
          execute(
              inTwo,
              () -> {
                Connection toOne = DataSourceUtils.getConnection(one);
                Connection toTwo = DataSourceUtils.getConnection(two);
                work.with(toOne, toTwo);
                return true;
              });
          return true;
        });
  }

  private static void execute(TransactionTemplate template, Callable<Boolean> action)
      throws Exception {
    Exception[] failure = new Exception[1];
    template.executeWithoutResult(
        status -> {
          try {
            action.call();
          } catch (Exception e) {
            status.setRollbackOnly();
            failure[0] = e;
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  @Override
  public void close() {
    one.close();
    two.close();
  }
}
