/** Tests of a service's gate. */
@NullMarked
package io.txwatch.interleave.service;

import org.jspecify.annotations.NullMarked;
