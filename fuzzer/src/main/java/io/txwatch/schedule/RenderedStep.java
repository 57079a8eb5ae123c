package io.txwatch.schedule;

import io.txwatch.testcase.Step;

/**
 * A step with the text that is sent.
 *
 * @param step the step
 * @param text its text in the SQL of the DBMS
 */
record RenderedStep(Step step, String text) {}
