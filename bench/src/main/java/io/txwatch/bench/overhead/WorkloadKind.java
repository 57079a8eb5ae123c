package io.txwatch.bench.overhead;

import io.txwatch.bench.Named;

/** The workloads there are. */
public enum WorkloadKind {
  /** TPC-C's five transactions. */
  TPCC("TPC-C-like") {
    @Override
    Workload create() {
      return new TpcC();
    }
  },
  /** Half reads, half updates: YCSB's A. */
  KV_50("key-value, 50 % reads") {
    @Override
    Workload create() {
      return new KeyValue(50);
    }
  },
  /** Mostly reads: YCSB's B. */
  KV_95("key-value, 95 % reads") {
    @Override
    Workload create() {
      return new KeyValue(95);
    }
  },
  /** Reads of all rows beside updates of one, at SERIALIZABLE: what is aborted counts. */
  SIBENCH("SIBench, SERIALIZABLE") {
    @Override
    Workload create() {
      return new SiBench();
    }
  };

  private final String title;

  WorkloadKind(String title) {
    this.title = title;
  }

  abstract Workload create();

  /** As tables show it. */
  public String title() {
    return title;
  }

  /** As command lines have it. */
  public String option() {
    return Named.option(this);
  }

  /** The workload that a command line names. */
  public static WorkloadKind ofOption(String option) {
    return Named.ofOption("workload", WorkloadKind.class, option);
  }
}
