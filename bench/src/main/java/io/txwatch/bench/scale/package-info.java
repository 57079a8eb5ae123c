/**
 * Measures an application that is watched without any setting, where it is not like the workloads
 * of {@link io.txwatch.bench.overhead}: its SQL texts are new ({@link
 * io.txwatch.bench.scale.TextsCommand}), its results are long ({@link
 * io.txwatch.bench.scale.StreamCommand}), or it has many connections and tables and little memory
 * ({@link io.txwatch.bench.scale.ConnectionsCommand}).
 */
@NullMarked
package io.txwatch.bench.scale;

import org.jspecify.annotations.NullMarked;
