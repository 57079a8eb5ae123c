/**
 * The settings of txwatch: {@link io.txwatch.settings.Setting} defines and documents the keys,
 * {@link io.txwatch.settings.Settings} holds the effective values.
 */
@NullMarked
package io.txwatch.settings;

import org.jspecify.annotations.NullMarked;
