/**
 * End to end: real servers, the real driver, the real analyzer.
 *
 * <p>A scenario is a schedule of a few sessions in the case format; the fuzzer's executor submits
 * its statements in the order of the file and learns from the DBMS itself which of them are
 * blocked, so a run is as fast as the server and its outcome does not depend on a timer. {@link
 * io.txwatch.endtoend.SerialOrders} is the reference, which uses no versions or dependencies: it
 * runs the committed transactions one after another, in every order, and compares.
 */
@NullMarked
package io.txwatch.endtoend;

import org.jspecify.annotations.NullMarked;
