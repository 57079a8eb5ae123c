/** An application in class loaders of its own. */
@NullMarked
package org.example.loaders;

import org.jspecify.annotations.NullMarked;
