@org.jspecify.annotations.NullMarked
package io.txwatch.format;
