package io.txwatch.bench.overhead;

import io.txwatch.bench.OptionNames;

/** The available workloads. */
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
  /** Reads of all rows concurrent with updates of one, at SERIALIZABLE: measures aborts. */
  SIBENCH("SIBench, SERIALIZABLE") {
    @Override
    Workload create() {
      return new SiBench();
    }
  },
  /** SmallBank's five transactions. */
  SMALLBANK("SmallBank") {
    @Override
    Workload create() {
      return new SmallBank(SmallBank.Repair.NONE);
    }
  },
  /** SmallBank, serializable in a snapshot: WriteCheck and TransactSaving change one more row. */
  SMALLBANK_MATERIALIZE_WT("SmallBank, MaterializeWT") {
    @Override
    Workload create() {
      return new SmallBank(SmallBank.Repair.MATERIALIZE_WT);
    }
  },
  /** The same: WriteCheck changes what it reads of the savings. */
  SMALLBANK_PROMOTE_WT("SmallBank, PromoteWT") {
    @Override
    Workload create() {
      return new SmallBank(SmallBank.Repair.PROMOTE_WT);
    }
  },
  /** The same: Balance and WriteCheck change one more row. */
  SMALLBANK_MATERIALIZE_BW("SmallBank, MaterializeBW") {
    @Override
    Workload create() {
      return new SmallBank(SmallBank.Repair.MATERIALIZE_BW);
    }
  },
  /** The same: Balance changes what it reads of the checking accounts. */
  SMALLBANK_PROMOTE_BW("SmallBank, PromoteBW") {
    @Override
    Workload create() {
      return new SmallBank(SmallBank.Repair.PROMOTE_BW);
    }
  };

  private final String title;

  WorkloadKind(String title) {
    this.title = title;
  }

  abstract Workload create();

  /** The name in tables. */
  public String title() {
    return title;
  }

  /** The name on command lines. */
  public String option() {
    return OptionNames.option(this);
  }

  /** The workload with this name on command lines. */
  public static WorkloadKind ofOption(String option) {
    return OptionNames.ofOption("workload", WorkloadKind.class, option);
  }
}
