/**
 * The settings that users may type. One enum of keys, {@link io.txwatch.settings.Setting}, which is
 * also their documentation, and {@link io.txwatch.settings.Settings}, the values that hold after
 * every place was read.
 */
@NullMarked
package io.txwatch.settings;

import org.jspecify.annotations.NullMarked;
