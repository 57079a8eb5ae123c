/** Reports as golden text beside the small anomalies that they tell of. */
@NullMarked
package io.txwatch.report;

import org.jspecify.annotations.NullMarked;
