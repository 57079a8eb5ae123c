/**
 * The starter for Spring Boot: {@code txwatch.enabled=true} watches an application, whose URLs and
 * pools stay as they are.
 *
 * <p>{@link io.txwatch.spring.TxWatchStart} attaches the agent as soon as the application's
 * properties are known, before any pool exists. {@link io.txwatch.spring.TxWatchAutoConfiguration}
 * adds what Actuator and Micrometer show, if the application has them.
 */
@NullMarked
package io.txwatch.spring;

import org.jspecify.annotations.NullMarked;
