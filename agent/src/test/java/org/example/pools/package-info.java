/** An application that uses every supported pool and does not depend on txwatch. */
@NullMarked
package org.example.pools;

import org.jspecify.annotations.NullMarked;
