@NullMarked
package io.txwatch.kafka;

import org.jspecify.annotations.NullMarked;
