package org.example.shop.jta;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;

/** JTA: Narayana over pools of Agroal. */
final class NarayanaTransactions implements Transactions {

  private static final int MAX_CONNECTIONS = 4;

  private final TransactionManager manager;
  private final String urlOfOne;
  private final String urlOfTwo;
  private final AgroalDataSource one;
  private final AgroalDataSource two;

  NarayanaTransactions(String urlOfOne, String urlOfTwo) throws SQLException {
    System.setProperty(
        "ObjectStoreEnvironmentBean.objectStoreDir", Path.of("store").toAbsolutePath().toString());
    System.setProperty("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
    this.urlOfOne = urlOfOne;
    this.urlOfTwo = urlOfTwo;
    manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
    one = pool(urlOfOne);
    two = pool(urlOfTwo);
  }

  private AgroalDataSource pool(String url) throws SQLException {
    return AgroalDataSource.from(
        new AgroalDataSourceConfigurationSupplier()
            .connectionPoolConfiguration(
                config ->
                    config
                        .maxSize(MAX_CONNECTIONS)
                        .transactionIntegration(
                            new NarayanaTransactionIntegration(
                                manager, new TransactionSynchronizationRegistryImple()))
                        .connectionFactoryConfiguration(
                            factory ->
                                factory
                                    .connectionProviderClass(NamedXaDataSource.class)
                                    .jdbcUrl(url))));
  }

  @Override
  public void run(Work work) throws Exception {
    manager.begin();
    try (Connection toOne = one.getConnection();
        Connection toTwo = two.getConnection()) {
      work.with(toOne, toTwo);
    } catch (Exception e) {
      manager.rollback();
      throw e;
    }
    manager.commit();
  }

  @Override
  public void crashInCommit(Work work) throws Exception {
    manager.begin();
    manager.getTransaction().enlistResource(CrashingResource.create());
    try (Connection toOne = one.getConnection();
        Connection toTwo = two.getConnection()) {
      work.with(toOne, toTwo);
    }
    manager.commit();
  }

  @Override
  public void recover() throws Exception {
    RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
    XARecoveryModule module = XARecoveryModule.getRegisteredXARecoveryModule();
    XAConnection toOne = NamedXaDataSource.of(urlOfOne).getXAConnection();
    XAConnection toTwo = NamedXaDataSource.of(urlOfTwo).getXAConnection();
    module.addXAResourceRecoveryHelper(new Helper(toOne.getXAResource()));
    module.addXAResourceRecoveryHelper(new Helper(toTwo.getXAResource()));
    recovery.scan();
    recovery.terminate();
    toOne.close();
    toTwo.close();
  }

  private record Helper(XAResource resource) implements XAResourceRecoveryHelper {

    @Override
    public boolean initialise(String parameters) {
      return true;
    }

    @Override
    public XAResource[] getXAResources() {
      return new XAResource[] {resource};
    }
  }

  @Override
  public void close() {
    one.close();
    two.close();
  }
}
