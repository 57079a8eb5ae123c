package org.example.app;

import io.txwatch.agent.SelfAttachment;
import java.sql.Connection;
import java.sql.DriverManager;

/**
 * An application that has used JDBC before it attaches the agent to itself, and that loads the
 * interfaces of data sources afterwards. It prints them, and the class of a connection.
 */
public final class AttachingApplication {

  private AttachingApplication() {}

  public static void main(String[] arguments) throws Exception {
    String url = "jdbc:h2:mem:attaching";
    DriverManager.getDriver(url);
    SelfAttachment.attach(arguments[0]);
    System.out.println(Class.forName("javax.sql.ConnectionPoolDataSource").getName());
    System.out.println(Class.forName("javax.sql.XADataSource").getName());
    try (Connection connection = DriverManager.getConnection(url)) {
      System.out.println(connection.getClass().getSimpleName());
    }
  }
}
