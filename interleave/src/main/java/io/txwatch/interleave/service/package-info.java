/**
 * Interleaves requests to a service: a controller in another process sends them, and the gate in
 * the service's process holds their calls. Both send lines of JSON over one connection.
 */
@NullMarked
package io.txwatch.interleave.service;

import org.jspecify.annotations.NullMarked;
