/**
 * The compatibility suite: runs each application of {@code org.example.shop} in JVMs of its own,
 * unwatched, with the agent and with the URL, compares what they print, and checks that the lost
 * update is reported with the application's lines.
 */
@NullMarked
package io.txwatch.compat;

import org.jspecify.annotations.NullMarked;
