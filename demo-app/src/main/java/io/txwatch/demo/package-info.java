/**
 * A small booking-and-bank service, written as an application team would write it: plain JDBC over
 * a pool, without any reference to txwatch.
 *
 * <p>Four of its services have a race that passes every single-user test: {@link
 * io.txwatch.demo.BankService} loses updates, {@link io.txwatch.demo.BookingService} sells a seat
 * twice, {@link io.txwatch.demo.RosterService} lets both doctors on call leave (Cahill et al.,
 * SIGMOD 2008, §1), {@link io.txwatch.demo.ReportService} adds up balances of different moments
 * (Berenson et al., SIGMOD 1995, A5A). Each has an idiomatic corrected version.
 */
@NullMarked
package io.txwatch.demo;

import org.jspecify.annotations.NullMarked;
