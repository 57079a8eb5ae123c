package io.txwatch.cli;

import io.txwatch.campaign.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Runs campaigns at once, until all have ended or a signal stops them: shows their progress, saves
 * where they can be continued, and prints their summaries.
 */
final class FuzzRuns {

  private static final long SAVING_INTERVAL_MILLIS = 10_000;
  private static final Duration MAX_STOPPING = Duration.ofSeconds(15);

  private final List<FuzzRun> runs;
  private final Console console;
  private final boolean json;
  private volatile boolean finished;

  /** Creates the runs; {@code json} adds lines of JSON to standard output. */
  FuzzRuns(List<FuzzRun> runs, Console console, boolean json) {
    this.runs = List.copyOf(runs);
    this.console = console;
    this.json = json;
  }

  /**
   * Runs all campaigns to their end.
   *
   * @return their summaries
   * @throws CommandException if a DBMS cannot be used any more; the other campaigns are stopped
   */
  Collection<Summary> run() throws IOException, InterruptedException {
    PrintWriter textOut = console.textOut(json);
    runs.forEach(run -> textOut.println(run.title()));
    textOut.flush();
    Thread onSignal = new Thread(this::stopAndWait, "stop");
    Runtime.getRuntime().addShutdownHook(onSignal);
    Timer saving = new Timer("campaign", true);
    saving.schedule(
        new TimerTask() {
          @Override
          public void run() {
            save();
          }
        },
        SAVING_INTERVAL_MILLIS,
        SAVING_INTERVAL_MILLIS);
    Progress progress = Progress.of(console, this::progress);
    try {
      Map<FuzzRun, Summary> summaries = runAll();
      progress.close();
      print(textOut, summaries);
      return summaries.values();
    } finally {
      saving.cancel();
      save();
      progress.close();
      finished = true;
      removeHook(onSignal);
    }
  }

  private Map<FuzzRun, Summary> runAll() throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(runs.size());
    try {
      Map<FuzzRun, Future<Summary>> running = new LinkedHashMap<>();
      runs.forEach(run -> running.put(run, threads.submit(run::run)));
      Map<FuzzRun, Summary> summaries = new LinkedHashMap<>();
      for (Map.Entry<FuzzRun, Future<Summary>> each : running.entrySet()) {
        summaries.put(each.getKey(), result(each.getKey(), each.getValue()));
      }
      return summaries;
    } finally {
      runs.forEach(FuzzRun::stop);
      threads.shutdown();
    }
  }

  private static Summary result(FuzzRun run, Future<Summary> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException error) {
        throw run.explain(error);
      }
      if (e.getCause() instanceof IOException error) {
        throw new UncheckedIOException(error);
      }
      throw new IllegalStateException("the campaign on " + run.name() + " failed", e.getCause());
    }
  }

  private void print(PrintWriter textOut, Map<FuzzRun, Summary> summaries) throws IOException {
    for (Map.Entry<FuzzRun, Summary> each : summaries.entrySet()) {
      if (runs.size() > 1) {
        textOut.println();
        textOut.println(each.getKey().name());
      }
      FuzzOutput.print(textOut, each.getValue());
      if (json) {
        FuzzOutput.writeJson(console.out(), each.getKey().name(), each.getValue());
      }
    }
    if (runs.size() > 1) {
      List<PhenomenonTable.Campaign> campaigns = new ArrayList<>();
      summaries.forEach((run, summary) -> campaigns.add(PhenomenonTable.of(run.name(), summary)));
      textOut.println();
      PhenomenonTable.text(campaigns).forEach(textOut::println);
      textOut.flush();
    }
  }

  private String progress() {
    return runs.size() == 1
        ? runs.get(0).progress()
        : runs.stream()
            .map(run -> run.name() + " " + run.progress())
            .collect(Collectors.joining("; "));
  }

  private synchronized void save() {
    for (FuzzRun run : runs) {
      try {
        run.save();
      } catch (IOException e) {
        console.note("not saved for --resume: " + e.getMessage());
      }
    }
  }

  /** Handles a signal: the running cases are finished, and the summaries are printed. */
  private void stopAndWait() {
    runs.forEach(FuzzRun::stop);
    long deadline = System.nanoTime() + MAX_STOPPING.toNanos();
    while (!finished && System.nanoTime() < deadline) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook is running, so it cannot be removed.
      hook.interrupt();
    }
  }
}
