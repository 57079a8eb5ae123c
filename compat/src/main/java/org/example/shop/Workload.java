package org.example.shop;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Uses a shop, and prints everything that it returns. */
public final class Workload {

  private static final int MAX_CAUSES = 10;

  private Workload() {}

  /** Uses a shop, and closes it. */
  public static void run(Shop shop) throws Exception {
    try (shop) {
      shop.metadata().forEach(line -> print("metadata", line));
      long anvil = shop.add("anvil", 100);
      long rocket = shop.add("rocket", 50);
      print("keys", anvil + " " + rocket);
      print("batch", shop.addAll(List.of("magnet", "glue", "spring")));
      print("error", failure(() -> shop.add("anvil", 1)));
      print("error", failure(() -> shop.add("a name that is longer than the column has room", 1)));
      shop.buy(anvil, 3, false);
      print("error", failure(() -> shop.buy(rocket, 5, true)));
      shop.buy(rocket, 7, false);
      shop.products().forEach(line -> print("product", line));
      print("purchases", shop.purchases());
      loseUpdate(shop, anvil);
      print("removed", String.valueOf(shop.remove("glue")));
      print("removed", String.valueOf(shop.remove("nothing of that name")));
      shop.products().forEach(line -> print("product", line));
      shop.metadata().forEach(line -> print("metadata", line));
    }
  }

  /** Two transactions read a stock, and both write one less. */
  public static void loseUpdate(Shop shop, long product) throws Exception {
    shop.sell(product, () -> inAnotherThread(() -> shop.sell(product, () -> {})));
  }

  /** Prints a line that runs are compared by. */
  public static void print(String what, String line) {
    System.out.println("> " + what + ": " + line);
  }

  /** Something that may fail. */
  public interface Action {
    void run() throws Exception;
  }

  /** The exceptions of an action, down to the driver's. */
  public static String failure(Action action) {
    try {
      action.run();
      return "none";
    } catch (Exception e) {
      StringBuilder text = new StringBuilder();
      Throwable each = e;
      for (int i = 0; i < MAX_CAUSES && each != null; i++) {
        text.append(i == 0 ? "" : " < ").append(describe(each));
        each = each.getCause();
      }
      return text.toString();
    }
  }

  private static String describe(Throwable error) {
    String state =
        error instanceof java.sql.SQLException sql
            ? " " + sql.getSQLState() + " " + sql.getErrorCode()
            : "";
    return error.getClass().getName() + state + " " + oneLine(error.getMessage());
  }

  private static String oneLine(@Nullable String text) {
    return String.valueOf(text).strip().replaceAll("\\s+", " ");
  }

  /** Runs something in a thread of its own, and waits for its end. */
  public static void inAnotherThread(Action action) {
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
              } catch (Exception e) {
                print(
                    "failure in a thread",
                    failure(
                        () -> {
                          throw e;
                        }));
              }
            });
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
