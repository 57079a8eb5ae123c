package io.txwatch.demo;

/** A remote service: payments, exchange rates, the pager. */
interface PaymentGateway {

  /** Waits for the answer. It is always yes. */
  void call();
}
