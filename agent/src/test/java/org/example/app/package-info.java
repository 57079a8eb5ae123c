/** An application of a third party that the agent watches. */
@NullMarked
package org.example.app;

import org.jspecify.annotations.NullMarked;
