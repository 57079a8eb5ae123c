/** An application that uses every pool there is, and knows nothing of txwatch. */
@NullMarked
package org.example.pools;

import org.jspecify.annotations.NullMarked;
