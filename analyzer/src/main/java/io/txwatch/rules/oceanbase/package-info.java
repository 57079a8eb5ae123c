/** OceanBase in the analysis. */
@NullMarked
package io.txwatch.rules.oceanbase;

import org.jspecify.annotations.NullMarked;
