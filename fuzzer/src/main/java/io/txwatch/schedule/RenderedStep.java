package io.txwatch.schedule;

import io.txwatch.testcase.Step;

/**
 * A step as it is sent.
 *
 * @param step the step
 * @param text its text in the words of the DBMS
 */
record RenderedStep(Step step, String text) {}
