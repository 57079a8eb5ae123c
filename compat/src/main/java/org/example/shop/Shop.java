package org.example.shop;

import java.util.List;

/** What each application does, with a library of its own. */
public interface Shop extends AutoCloseable {

  /** Adds a product; returns its generated key. */
  long add(String name, int stock) throws Exception;

  /** Adds several products in one batch; returns what the library reports of it. */
  String addAll(List<String> names) throws Exception;

  /** All products by their keys, one a line. */
  List<String> products() throws Exception;

  /** The number of purchases and the sum of their quantities. */
  String purchases() throws Exception;

  /**
   * Records a purchase and takes it from the stock, in one transaction.
   *
   * @param fails whether the transaction fails after both, and is rolled back
   */
  void buy(long product, int quantity, boolean fails) throws Exception;

  /** Reads the stock of a product, and writes one less some time later. */
  void sell(long product, Runnable meanwhile) throws Exception;

  /** Removes the products of that name; returns how many there were. */
  int remove(String name) throws Exception;

  /** What the library reads of the tables, one fact a line. */
  List<String> metadata() throws Exception;

  @Override
  void close() throws Exception;
}
