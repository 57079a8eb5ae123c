/**
 * What watching costs a JVM that has just begun: classes loaded, texts planned for the first time.
 */
@NullMarked
package io.txwatch.bench.startup;

import org.jspecify.annotations.NullMarked;
