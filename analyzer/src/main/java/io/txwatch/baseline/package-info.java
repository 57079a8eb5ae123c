/**
 * Which kinds of anomalies a project has accepted. A kind has an id that is the same over several
 * runs ({@link io.txwatch.baseline.Fingerprint}); the file {@value
 * io.txwatch.baseline.BaselineFile#NAME} in the project's repository lists the accepted ones with
 * reasons.
 */
@NullMarked
package io.txwatch.baseline;

import org.jspecify.annotations.NullMarked;
